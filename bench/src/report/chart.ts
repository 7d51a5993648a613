import type { ScenarioResult } from '../scenarios/scenario.ts'
import { numberText } from './number-text.ts'

export interface Chart {
  readonly svg: string
  readonly height: number
}

const ROW = 24
const BAR = 14
const LABEL = 268
const VALUE = 150
const TITLE = 46

/** Beyond this span the shortest bars would vanish on a linear scale. */
const LINEAR_SPAN = 60

export const CHART_STYLE = `
  .title { font: 600 14px system-ui, sans-serif; fill: #1b1f24 }
  .about { font: 11px system-ui, sans-serif; fill: #656d76 }
  .label { font: 12px system-ui, sans-serif; fill: #1b1f24 }
  .value { font: 12px ui-monospace, monospace; fill: #1b1f24 }
  .ours { fill: #0b7a75 } .peer { fill: #9aa7b4 } .limit { fill: #d9a441 }
  .strong { font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .title, .label, .value { fill: #e6edf3 } .about { fill: #9198a1 }
    .ours { fill: #2bb3ab } .peer { fill: #5c6773 } .limit { fill: #b98a35 }
  }`

/** One scenario as bars, fastest first. Everything in it promises the same durability. */
export function chart(result: ScenarioResult, width: number, subtitle: string): Chart {
  const rows = [...result.measurements].sort((a, b) => b.perSecond - a.perSecond)
  const rates = rows.map(({ perSecond }) => perSecond)
  const most = Math.max(...rates)
  const least = Math.min(...rates)
  const isLog = most / least > LINEAR_SPAN
  const room = width - LABEL - VALUE
  const length = (rate: number): number =>
    isLog ? (room * Math.log10((rate / least) * 1.6)) / Math.log10((most / least) * 1.6) : (room * rate) / most
  const scale = isLog ? '; bars on a log scale' : ''
  const lines = [
    `<text class="title" x="0" y="16">${escape(result.title)}</text>`,
    `<text class="about" x="0" y="33">${escape(`${result.unit}; ${subtitle}${scale}`)}</text>`,
  ]
  for (const [index, { contestant, label, perSecond, ratio }] of rows.entries()) {
    const y = TITLE + index * ROW
    const isOurs = label.startsWith('turnlog')
    const kind = isOurs ? 'ours' : /raw|bare/.test(label) ? 'limit' : 'peer'
    const text = `${numberText(perSecond)}${contestant === result.base ? '  (base)' : `  ×${numberText(ratio)}`}`
    const barWidth = Math.max(2, length(perSecond)).toFixed(1)
    lines.push(
      `<text class="label${isOurs ? ' strong' : ''}" x="${LABEL - 10}" y="${y + 11}" text-anchor="end">${escape(shorten(label))}</text>`,
      `<rect class="${kind}" x="${LABEL}" y="${y}" width="${barWidth}" height="${BAR}" rx="2"/>`,
      `<text class="value${isOurs ? ' strong' : ''}" x="${(LABEL + Number(barWidth) + 8).toFixed(1)}" y="${y + 11}">${escape(text)}</text>`,
    )
  }
  return { svg: lines.join('\n'), height: TITLE + rows.length * ROW + 8 }
}

function shorten(label: string): string {
  return label.length > 40 ? `${label.slice(0, 39)}…` : label
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

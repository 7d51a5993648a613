import type { ScenarioResult } from '../scenarios/scenario.ts'
import type { Chart } from './chart.ts'
import { chart, CHART_STYLE, escape } from './chart.ts'
import { machineText, versionsText } from './machine-text.ts'
import type { Report } from './report.ts'
import { DURABILITY } from './report.ts'

/** What the README shows. All of it is of one durability. */
const SHOWN = [
  'append-1',
  'append-64-sessions',
  'append-64-one',
  'set-history',
  'history-1000-cold',
  'history-1000-warm',
]

const PANEL = 640
const GAP = 40
const MARGIN = 24

/** The picture for the README: a few scenarios side by side. */
export function picture(report: Report): string {
  const results = SHOWN.flatMap((id) => report.scenarios.filter((result) => result.id === id))
  const shown = (results.length > 0 ? results : report.scenarios).filter(isDrawable)
  const width = MARGIN * 2 + PANEL * 2 + GAP
  const parts: string[] = []
  let y = MARGIN + 8
  for (let index = 0; index < shown.length; index += 2) {
    const row = shown.slice(index, index + 2).map((result) => chart(result, PANEL, DURABILITY[result.durability]))
    for (const [column, { svg }] of row.entries()) {
      parts.push(`<g transform="translate(${MARGIN + column * (PANEL + GAP)} ${y})">${svg}</g>`)
    }
    y += Math.max(...row.map(({ height }: Chart) => height)) + 14
  }
  const footer = [
    'Teal: Turnlog through SessionStore, checksums verified, results frozen. Amber: the bare limit, without format or checks. Grey: alternatives.',
    `Contestants take turns in short rounds; × is the median of the ratios per round. Written data is read back and compared. ${report.date.slice(0, 10)}, ${report.scale} run.`,
    machineText(report.machine),
    versionsText(report.machine),
  ]
  for (const line of footer) {
    parts.push(`<text class="about" x="${MARGIN}" y="${y + 8}">${escape(line)}</text>`)
    y += 16
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + MARGIN}" width="${width}" height="${y + MARGIN}" role="img" aria-label="Throughput of Turnlog beside alternatives">
<style>${CHART_STYLE}</style>
${parts.join('\n')}
</svg>
`
}

function isDrawable({ measurements }: ScenarioResult): boolean {
  return measurements.length > 1
}

import type { ScenarioResult } from '../scenarios/scenario.ts'
import { chart, CHART_STYLE, escape } from './chart.ts'
import { machineText, versionsText } from './machine-text.ts'
import { bytesText, errorText, numberText } from './number-text.ts'
import type { Report } from './report.ts'
import { DURABILITY, METHOD } from './report.ts'
import { boundText } from './tables.ts'

const WIDTH = 860

/** The whole report as one file without references to anything outside. */
export function page(report: Report): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Turnlog benchmark, ${escape(report.date.slice(0, 10))}</title>
<style>${PAGE_STYLE}${CHART_STYLE}</style>
<h1>Turnlog benchmark</h1>
<p>${escape(machineText(report.machine))}<br>${escape(versionsText(report.machine))}<br>${escape(report.date)}, ${escape(report.scale)} run, seed ${report.seed}</p>
<p>${escape(METHOD)} Absolute times do not carry over to another machine; ratios do, roughly. A scenario holds only contestants that promise the same durability.</p>
${checksSection(report)}
${report.scenarios.map(scenarioSection).join('\n')}
${syncsSection(report)}
${report.failures.map(({ scenario, reason }) => `<p class="bad">${escape(scenario)} failed: ${escape(reason)}</p>`).join('\n')}
</html>
`
}

function checksSection({ checks }: Report): string {
  if (checks.length === 0) return ''
  const rows = checks.map(({ title, scenario, bound, value, isMet }) => {
    const verdict = value === undefined ? 'not measured' : isMet ? 'met' : 'short'
    const shown = value === undefined ? '-' : numberText(value)
    return `<tr><td class="${isMet ? 'good' : 'bad'}">${verdict}</td><td class="n">${shown}</td><td>${escape(boundText(bound))}</td><td><a href="#${scenario}">${escape(title)}</a></td></tr>`
  })
  return `<h2>Ratios that must hold</h2><table><tr><th></th><th>measured</th><th>asked</th><th>ratio</th></tr>${rows.join('')}</table>`
}

function scenarioSection(result: ScenarioResult): string {
  const rows = result.measurements.map(
    ({ label, note = '', perSecond, ratio, ratioError, p50Us, p99Us, cpuUs, diskBytes }) =>
      `<tr><td>${escape(label)}</td><td class="n">${numberText(perSecond)}</td><td class="n">${numberText(ratio)}</td><td class="n">${errorText(ratioError)}</td><td class="n">${numberText(p50Us)}</td><td class="n">${numberText(p99Us)}</td><td class="n">${numberText(cpuUs)}</td><td class="n">${diskBytes === undefined ? '' : bytesText(diskBytes)}</td><td>${escape(note)}</td></tr>`,
  )
  const absent = result.absent.map(({ label, reason }) => `<p class="bad">${escape(`${label}: ${reason}`)}</p>`)
  const figures = Object.entries(result.figures ?? {}).map(
    ([name, value]) => `<tr><td>${escape(name)}</td><td class="n">${numberText(value)}</td></tr>`,
  )
  const table = `<table><tr><th></th><th>${escape(result.unit)}</th><th>× base</th><th>±</th><th>p50 µs</th><th>p99 µs</th><th>CPU µs</th><th>disk</th><th></th></tr>${rows.join('')}</table>`
  return `<section id="${result.id}">
${result.measurements.length > 1 ? drawing(result) : `<h2>${escape(result.title)}</h2>`}
<p>${escape(result.about)}</p>
${rows.length > 0 ? `<details><summary>figures</summary>${table}</details>` : ''}
${figures.length > 0 ? `<table>${figures.join('')}</table>` : ''}
${absent.join('')}
</section>`
}

function drawing(result: ScenarioResult): string {
  const { svg, height } = chart(result, WIDTH, DURABILITY[result.durability])
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">${svg}</svg>`
}

function syncsSection({ syncs }: Report): string {
  if (syncs.length === 0) return '<p>Syncs were not counted in this run.</p>'
  const rows = syncs.map(
    ({ label, appends, syncs: count, isKept }) =>
      `<tr><td class="${isKept ? 'good' : 'bad'}">${isKept ? 'syncs' : 'does not sync'}</td><td class="n">${count}</td><td class="n">${appends}</td><td>${escape(label)}</td></tr>`,
  )
  return `<h2>Syncs, counted with strace</h2><table><tr><th></th><th>syncs</th><th>appends</th><th></th></tr>${rows.join('')}</table>`
}

const PAGE_STYLE = `
  body { font: 15px/1.5 system-ui, sans-serif; max-width: ${WIDTH}px; margin: 40px auto; padding: 0 16px; color: #1b1f24; background: #fff }
  table { border-collapse: collapse; font-size: 13px; margin: 8px 0 } th, td { text-align: left; padding: 2px 14px 2px 0 }
  .n { text-align: right; font-family: ui-monospace, monospace } .good { color: #0b7a75 } .bad { color: #b42318 }
  section { margin: 36px 0; border-top: 1px solid #d0d7de; padding-top: 20px } svg { max-width: 100%; height: auto }
  @media (prefers-color-scheme: dark) { body { color: #e6edf3; background: #0d1117 } section { border-color: #30363d } a { color: #58a6ff } }
`

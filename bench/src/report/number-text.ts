/** Three significant digits, thousands apart: nobody should read more into a measurement. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return '-'
  if (value === 0) return '0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return Number(value.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: digits })
}

export function bytesText(bytes: number): string {
  if (bytes >= 1e9) return `${numberText(bytes / 1e9)} GB`
  if (bytes >= 1e6) return `${numberText(bytes / 1e6)} MB`
  return `${numberText(bytes / 1e3)} KB`
}

/** How far a ratio may be off, as a share of it. */
export function errorText(share: number): string {
  if (!Number.isFinite(share) || share === 0) return ''
  return share < 0.01 ? '<1 %' : `${Math.round(share * 100)} %`
}

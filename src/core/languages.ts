/** The languages that messages to shoppers are written in. */
export const languages = ['en', 'hi'] as const
export type Language = (typeof languages)[number]

const maxHeaderLength = 500

/**
 * The language that an `Accept-Language` header prefers among ours. Null: it names none of them. Regions are ignored,
 * and a header that is too long counts as far as it is read.
 */
export const chooseLanguage = (header: string | undefined): Language | null => {
  if (header === undefined) return null
  let best: { language: Language; quality: number } | null = null
  for (const range of header.slice(0, maxHeaderLength).split(',')) {
    const [tag = '', ...parameters] = range.split(';')
    const [primary = ''] = tag.trim().toLowerCase().split('-')
    const language = languages.find((ours) => ours === primary)
    const quality = readQuality(parameters)
    if (language !== undefined && quality > (best?.quality ?? 0)) best = { language, quality }
  }
  return best?.language ?? null
}

/** 1 unless `q=` says otherwise; 0, which refuses the language, for anything that is not a quality. */
const readQuality = (parameters: readonly string[]) => {
  const text = parameters.map((text) => text.trim().toLowerCase()).find((parameter) => parameter.startsWith('q='))
  if (text === undefined) return 1
  const quality = Number(text.slice(2) || Number.NaN)
  return quality >= 0 && quality <= 1 ? quality : 0
}

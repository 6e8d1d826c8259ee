export type OptionPair = [name: string, value: string]

/** Formats chosen options as the API expects them: `Colour:Indigo,Size:S`. */
export const formatOptions = (pairs: OptionPair[]) =>
  pairs.map((pair) => pair.map((text) => text.replace(/[\\,:]/g, '\\$&')).join(':')).join()

export const parseOptions = (text: string): OptionPair[] =>
  (text.match(/(?:\\.|[^\\,])+/gsu) ?? []).flatMap((pair) => {
    const [name = '', value = ''] = (pair.match(/(?:\\.|[^\\:])+/gsu) ?? []).map((part) =>
      part.replace(/\\(.)/gsu, '$1'),
    )
    return name && value ? [[name, value] satisfies OptionPair] : []
  })

/** Pages turn such a text into a link, so `javascript:` and the like are refused. */
export const isWebAddress = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text)

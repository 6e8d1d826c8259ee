/** At most so many characters, with a mark where something was cut off. */
export const shortenText = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most)}…`)

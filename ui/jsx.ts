/** What the bundle makes of elements: calls of `h`, which are shorter than those of the automatic runtime. */
export { Fragment as JsxFragment, h as jsxElement } from 'preact'

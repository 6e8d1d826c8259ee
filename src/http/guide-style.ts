/** Styles of the guide: light and dark, from phones to wide screens. */
export const guideStyle = `
:root { color-scheme: light dark; --ink: #1f1d1b; --paper: #fdfcfa; --ground: #f4f1ec; --line: #ddd7ce; --quiet: #5f5850;
  --accent: #8a3b12; --mark: #f6e3d3; --code: #f3efe8; --shade: rgb(0 0 0 / .28) }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ece8e2; --paper: #191816; --ground: #211f1c; --line: #3a3631; --quiet: #b5aca1; --accent: #f0a574;
    --mark: #43301f; --code: #24211e; --shade: rgb(255 255 255 / .28) }
}
* { box-sizing: border-box }
html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.0625rem/1.65 system-ui, sans-serif }
a { color: var(--accent); text-underline-offset: .18em }
a:hover { text-decoration-thickness: .14em }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .25rem }
.skip { position: absolute; left: -100rem }
.skip:focus { left: 1rem; top: 1rem; z-index: 2; padding: .5rem 1rem; background: var(--paper) }

.top { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center;
  justify-content: space-between; padding: .75rem 1.25rem; background: var(--ground);
  border-bottom: 1px solid var(--line) }
.top a { display: inline-block; padding: .25rem 0 }
.top nav { display: flex; gap: 1.25rem; font-size: .9375rem }
.brand { font-weight: 700; font-size: 1.125rem; letter-spacing: -.01em; color: var(--ink); text-decoration: none }
.brand span { font-weight: 400; color: var(--quiet) }

.columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 2rem; max-width: 90rem; margin: 0 auto;
  padding: 1.5rem 1.25rem 4rem }
article { max-width: 46rem; margin: 0 auto }
.beside { border-top: 1px solid var(--line); padding-top: 1rem }
.contents p, .here h2 { margin: 1.25rem .75rem .25rem; font-size: .8125rem; font-weight: 600; letter-spacing: .06em;
  text-transform: uppercase; color: var(--quiet) }
.contents ul, .here ul { list-style: none; margin: 0; padding: 0 }
.contents li a, .here li a { display: block; padding: .3rem .75rem; border-radius: .375rem;
  color: var(--ink); text-decoration: none; font-size: .9375rem }
.contents li a:hover, .here li a:hover { background: var(--ground); text-decoration: underline }
.contents [aria-current] { background: var(--mark); font-weight: 600 }
.here { display: none }
@media (min-width: 60rem) {
  .columns { grid-template-columns: 15rem minmax(0, 1fr); gap: 3rem }
  .beside { order: -1; border: 0; padding: 0; margin-left: -.75rem; position: sticky; top: 4.5rem; align-self: start; overflow-y: auto;
    max-height: calc(100vh - 5rem) }
  .contents p:first-child { margin-top: 0 }
  .to-contents { display: none !important }
}
@media (min-width: 82rem) {
  .columns { grid-template-columns: 15rem minmax(0, 1fr) 13rem }
  .beside { display: contents }
  .contents, .here { display: block; position: sticky; top: 4.5rem; align-self: start; overflow-y: auto;
    max-height: calc(100vh - 5rem) }
  .contents { order: -1; margin-left: -.75rem }
  .here h2 { margin-top: 0 }
}

h1, h2, h3, h4 { line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; overflow-wrap: anywhere }
h1 { margin: 0 0 1rem; font-size: clamp(1.75rem, 5vw, 2.25rem) }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.4375rem }
h3 { margin: 2rem 0 .5rem; font-size: 1.125rem }
h4 { margin: 1.5rem 0 .25rem; font-size: 1rem }
p, ul, ol, dl { margin: 0 0 1rem }
li { margin: .25rem 0 }
dt { margin-top: .75rem; font-weight: 600 }
dd { margin: 0; color: var(--quiet) }
.anchor { padding: 0 .25em; color: var(--quiet); text-decoration: none; font-weight: 400; user-select: none; opacity: 0 }
:is(h2, h3, h4):hover .anchor, .anchor:focus-visible { opacity: 1 }
@media (hover: none) { .anchor { opacity: .7 } }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--code);
  padding: .1em .3em; border-radius: .25rem; overflow-wrap: anywhere }
pre { --under: var(--code); margin: 0 0 1rem; padding: .875rem 1rem; border: 1px solid var(--line); border-radius: .5rem }
pre code { display: block; padding: 0; background: none; overflow-wrap: normal; font-size: .875rem }
pre.sh, pre.ts { border-left: 4px solid var(--accent) }
pre:is(.sh, .ts) + pre:is(.json, .text) { --under: var(--paper); margin-top: -.5rem }
.table { --under: var(--paper); margin: 0 0 1rem }
/* A shadow at each edge with more content beyond it. At the end of the scroll, a gradient that scrolls along covers it. */
pre, .table { overflow-x: auto; scrollbar-width: thin; background: no-repeat var(--under);
  background-image: linear-gradient(to right, var(--under) 40%, transparent),
    linear-gradient(to left, var(--under) 40%, transparent),
    linear-gradient(to right, var(--shade), transparent), linear-gradient(to left, var(--shade), transparent);
  background-position: left, right, left, right; background-size: 2.5rem 100%, 2.5rem 100%, .75rem 100%, .75rem 100%;
  background-attachment: local, local, scroll, scroll }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; line-height: 1.5 }
th, td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  min-width: 3.5rem }
td code, code.short { overflow-wrap: normal; white-space: nowrap }
@media (max-width: 40rem) {
  table, tbody, tr, td { display: block }
  thead { position: absolute; left: -100rem }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line) }
  td { padding: .125rem 0; border: 0 }
  td:empty { display: none }
  td:first-child { font-weight: 600 }
  td[data-label]::before { content: attr(data-label) ': '; color: var(--quiet) }
  td code { overflow-wrap: anywhere; white-space: normal }
  /* Commands, programs and answers may wrap. In plain text, columns can matter. */
  pre:is(.sh, .ts, .js, .json, .console) code { overflow-wrap: anywhere; white-space: pre-wrap }
}
.begin { display: inline-block; padding: .625rem 1.125rem; border-radius: .5rem; background: var(--accent);
  color: var(--paper); font-weight: 600; text-decoration: none }
.neighbours { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; margin-top: 3rem;
  padding-top: 1rem; border-top: 1px solid var(--line) }
.neighbours span { color: var(--quiet) }
.neighbours [rel=next] { margin-left: auto }
@media print { .top, .beside, .neighbours, .anchor { display: none } .columns { display: block } }
`

import type { EventEmitter } from 'node:events'
import type { Argument, Command, Option } from 'commander'
import { createProgram } from './program.ts'

/** The text of docs/cli.md. `npm run generate` writes it, and a test compares it with the file. */
export const describeCommands = (program: Command = createProgram()) =>
  `${[introduction, ...listCommands(program).map(([name, command]) => describeCommand(name, command))].join('\n\n')}\n`

const introduction = `# The command line

In a checkout, run commands with \`npm run vitrine --\`. The installed package has the program \`vitrine\`.

\`\`\`sh
npm run vitrine -- key create --help
\`\`\`

Commands read the same [settings](settings.md) as the service. They use \`DATABASE_URL\` or else the embedded database,
whether the service is running or not. \`--json\` prints the result for programs; combine it with \`npm run -s\`, which
silences npm. Without \`--store ID\`, a command uses the only store or, with the embedded database, the demo store.
Commands about an order take its id or its number, and need \`--store ID\` when several stores have that number.

Only \`start\` and \`migrate\` update the schema of a database. Other commands that write create the schema in an empty
database; commands that only read never change it. Commands that call the running service find its address in the data
folder. Control characters in names and other data are shown as escapes.

Exit codes: 0 for success, 1 for a failure, 2 for invalid usage. An error is one sentence on standard error. This page
is generated from the commands by \`npm run generate\`.`

/** The commands that can be run, by their full names. */
const listCommands = (command: Command, path: readonly string[] = []): [name: string, command: Command][] =>
  command.commands.length === 0
    ? [[path.join(' '), command]]
    : command.commands.flatMap((child) => listCommands(child, [...path, child.name()]))

const describeCommand = (name: string, command: Command) =>
  [
    `## ${name}`,
    `${command.description()}.`,
    `\`vitrine ${name}${command.usage() === '' ? '' : ` ${usageOf(command)}`}\``.replace(/ `$/, '`'),
    ...tableOf(command),
    examplesOf(command),
  ]
    .filter((part) => part !== '')
    .join('\n\n')

const usageOf = (command: Command) =>
  [
    ...command.registeredArguments.map((argument) => showArgument(argument)),
    ...command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags),
    ...(command.options.some(({ mandatory }) => !mandatory) ? ['[options]'] : []),
  ].join(' ')

const showArgument = (argument: Argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`)

const tableOf = ({ options }: Command) =>
  options.length === 0 ? [] : [['| option | meaning |', '|---|---|', ...options.map(rowOf)].join('\n')]

const rowOf = (option: Option) => {
  const { flags, description, argChoices, mandatory, defaultValue } = option
  const notes = [
    argChoices === undefined ? '' : `one of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`,
    mandatory ? 'required' : '',
    defaultValue === undefined || defaultValue === '' || Array.isArray(defaultValue)
      ? ''
      : `default: \`${defaultValue}\``,
  ].filter((note) => note !== '')
  const cells = [`\`${flags}\``, `${description}${notes.length === 0 ? '' : `; ${notes.join('; ')}`}`]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

/** The help text below the options, with the examples as a code block. */
const examplesOf = (command: Command) => {
  const said = helpOf(command)
  const [, before = '', examples = ''] = /([\s\S]*?)\nExamples?:\n([\s\S]+)$/.exec(said) ?? []
  const block = examples.trimEnd().replaceAll(/^ {2}/gm, '')
  return [before.trim().replaceAll(/docs\/([\w-]+\.md)/g, '[docs/$1]($1)'), `\`\`\`console\n${block}\n\`\`\``]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Commander has no getter for these texts, but passes them to listeners of the help event. */
const helpOf = (command: Command) => {
  let text = ''
  const write = (part: string) => {
    text += part
  }
  ;(command as unknown as EventEmitter).emit('afterHelp', { error: false, command, write })
  return text
}

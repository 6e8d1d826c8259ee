import type { EventEmitter } from 'node:events'
import type { Argument, Command, Option } from 'commander'
import { createProgram } from './program.ts'

/**
 * docs/cli.md, from the commands themselves; a test holds the file against this.
 * `npm run generate` writes it.
 */
export const describeCommands = (program: Command = createProgram()) =>
  `${[introduction, ...listCommands(program).map(([name, command]) => describeCommand(name, command))].join('\n\n')}\n`

const introduction = `# The command line

In a checkout every command begins with \`npm run vitrine --\`; an installed package brings the program \`vitrine\`.

\`\`\`sh
npm run vitrine -- key create --help
\`\`\`

Commands read the same [settings](settings.md) as the service. They work on the embedded database, while the service
runs and when it does not, and on \`DATABASE_URL\`. With \`--json\` the output is for programs; use \`npm run -s\` then, so
that npm keeps quiet. Without \`--store ID\` a command is about the only store or, where you try things out, the demo
store. Commands about an order take its id or its number, and \`--store ID\` when several stores have that number.

Commands that only read never change the schema of the database, and those that write only set up an empty one: \`start\`
and \`migrate\` bring it up to date. Commands that call the running service find its address in the data folder. Control
characters in names and other data are shown as escapes.

Exit codes: 0 it is done, 1 it could not be done, 2 the command was not understood. What went wrong is one sentence on
the error output. This page is made from the commands themselves by \`npm run generate\`.`

/** Commands that do something, by their full names. */
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
      : `\`${defaultValue}\` otherwise`,
  ].filter((note) => note !== '')
  const cells = [`\`${flags}\``, `${description}${notes.length === 0 ? '' : `; ${notes.join('; ')}`}`]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

/** What the command's own help says below its options, with the examples as a block. */
const examplesOf = (command: Command) => {
  const said = helpOf(command)
  const [, before = '', examples = ''] = /([\s\S]*?)\nExamples?:\n([\s\S]+)$/.exec(said) ?? []
  const block = examples.trimEnd().replaceAll(/^ {2}/gm, '')
  return [before.trim().replaceAll(/docs\/([\w-]+\.md)/g, '[docs/$1]($1)'), `\`\`\`console\n${block}\n\`\`\``]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Commander keeps these texts to itself, and gives them to whoever listens for help. */
const helpOf = (command: Command) => {
  let text = ''
  const write = (part: string) => {
    text += part
  }
  ;(command as unknown as EventEmitter).emit('afterHelp', { error: false, command, write })
  return text
}

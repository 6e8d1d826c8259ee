import type { Command } from 'commander'
import { loadConfig } from '../config.ts'
import { describeVitrine } from '../contract.ts'
import { print } from './output.ts'

export const addOpenapi = (program: Command) =>
  program
    .command('openapi')
    .description('Print the OpenAPI description of this version')
    .addHelpText('after', '\nExample:\n  vitrine openapi > openapi.json')
    .action(() => print(JSON.stringify(describeVitrine(loadConfig(process.env).version), null, 2)))

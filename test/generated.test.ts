import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateFiles } from '../.ci/generate.ts'
import { read } from './documents.ts'

test('every generated file is up to date', () => {
  for (const [path, text] of Object.entries(generateFiles())) {
    assert.ok(read(path) === text, `${path} is out of date: run "npm run generate" and look at the change`)
  }
})

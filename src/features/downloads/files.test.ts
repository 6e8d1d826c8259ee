import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dispositionOf } from './files.ts'

test('a file name becomes a safe header that every browser reads', () => {
  const names: [name: string, plain: string, encoded: string][] = [
    ['Chai at Home.pdf', 'Chai at Home.pdf', 'Chai%20at%20Home.pdf'],
    ['Crème brûlée.pdf', 'Cr_me br_l_e.pdf', 'Cr%C3%A8me%20br%C3%BBl%C3%A9e.pdf'],
    ['a"; filename="b.exe', 'a_; filename=_b.exe', 'a_%3B%20filename%3D_b.exe'],
    ['x\r\nset-cookie: a=b', 'x__set-cookie_ a=b', 'x__set-cookie_%20a%3Db'],
    ['../../etc/passwd', '_.._etc_passwd', '_.._etc_passwd'],
    ["it's (1)*!.txt", "it's (1)_!.txt", 'it%27s%20%281%29_%21.txt'],
    ['...', 'download', 'download'],
    ['', 'download', 'download'],
  ]
  for (const [name, plain, encoded] of names) {
    assert.equal(dispositionOf(name), `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`)
  }
  assert.ok(dispositionOf('ü'.repeat(5000)).length < 1200)
})

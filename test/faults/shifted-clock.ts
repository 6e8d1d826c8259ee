/** Loaded before the service by `--import`: its clock is off by TEST_CLOCK_SHIFT_MS, as on a machine with a wrong clock. */
const shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS)
const realNow = Date.now

globalThis.Date = new Proxy(Date, {
  construct: (target, args, self) =>
    Reflect.construct(
      target,
      args.length === 0 ? [realNow() + shiftMs] : args,
      self === globalThis.Date ? target : self,
    ),
  get: (target, name) => (name === 'now' ? () => realNow() + shiftMs : Reflect.get(target, name)),
})

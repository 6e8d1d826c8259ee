-- Gives every request an address of its own, so that no answer can come from memory. BENCH_PATHS, one path a line,
-- are requested in turn instead of the one in the address.
local paths = {}
for path in (os.getenv("BENCH_PATHS") or ""):gmatch("[^\n]+") do
  paths[#paths + 1] = path
end
-- Without a seed every run begins with the same number, and asks for addresses that the service remembers.
math.randomseed(os.time())
local count = math.random(1000000000)
request = function()
  local path = paths[count % math.max(#paths, 1) + 1] or wrk.path
  count = count + 1
  return wrk.format(nil, path .. (path:find("?", 1, true) and "&_=" or "?_=") .. count)
end

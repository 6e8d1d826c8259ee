-- Sends the requests of a file in turn, one a line: method, path, headers and body, parted by tabs.
local requests = {}
for line in io.lines(os.getenv("BENCH_REQUESTS")) do
  requests[#requests + 1] = line
end
local at = 0
request = function()
  local method, path, headers, body = requests[at + 1]:match("([^\t]*)\t([^\t]*)\t([^\t]*)\t?(.*)")
  at = (at + 1) % #requests
  local fields = {}
  for name, value in headers:gmatch("([%w-]+): ([^;]*);") do
    fields[name] = value
  end
  return wrk.format(method, path, fields, body ~= "" and body or nil)
end
-- wrk itself prints nothing beyond 99 %.
done = function(_, latency)
  print(string.format("99.9%% %d us", latency:percentile(99.9)))
end

-- Gives every request an address of its own, so that no answer can come from memory.
local count = math.random(1000000000)
local joint = nil
request = function()
  joint = joint or (wrk.path:find("?", 1, true) and "&_=" or "?_=")
  count = count + 1
  return wrk.format(nil, wrk.path .. joint .. count)
end

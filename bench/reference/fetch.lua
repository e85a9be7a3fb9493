-- Requests that are made once and sent in turns; tells what came of them in one line of JSON.
-- Arguments: dataset, number of rows, key, and the tag that the client has already.
local requests, sent = {}, 0

function init(arguments)
  local dataset, rows, key, tag = arguments[1], tonumber(arguments[2]), arguments[3], arguments[4]
  local headers = { ["x-api-key"] = key, ["if-none-match"] = tag }
  for n = 0, 999 do
    requests[n] = wrk.format("GET", "/v2/" .. dataset .. "/" .. ((n * 7919) % rows + 1), headers)
  end
end

function request()
  sent = (sent + 1) % 1000
  return requests[sent]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  local form = '\n{"requests":%d,"wallUs":%d,"clientUs":%d,"p50Us":%d,"p99Us":%d,"failed":%d}\n'
  local p50, p99 = latency:percentile(50), latency:percentile(99)
  io.write(form:format(summary.requests, summary.duration, os.clock() * 1e6, p50, p99, failed))
end

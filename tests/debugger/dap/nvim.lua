-- SPDX-License-Identifier: Apache-2.0
-- neovim's nvim-dap debugs sums.cu; run by tests/debugger/dap/editors. What it is told becomes
-- lines "NAME: TEXT" of the file $DAP_OUTPUT. nvim-dap's folder is $NVIM_DAP.
vim.opt.runtimepath:append(vim.env.NVIM_DAP)
local dap = require('dap')
local folder = vim.env.DAP_FOLDER
local lines, stops, printed = {}, 0, ''

local function say(name, text)
	table.insert(lines, name .. ': ' .. tostring(text))
end

local function finish()
	vim.fn.writefile(lines, vim.env.DAP_OUTPUT)
	vim.cmd('qa!')
end

local function await(what, predicate)
	if not vim.wait(60000, predicate, 20) then
		say('timeout', what)
		finish()
	end
end

-- nvim-dap asks for the stack by itself; the frame that it shows is that of the stop.
local shown
dap.listeners.after.event_stopped['test'] = function() stops = stops + 1 end
dap.listeners.after.stackTrace['test'] = function() shown = stops end
dap.listeners.after.event_output['test'] = function(_, body)
	if body.category == 'stdout' then printed = printed .. body.output end
end
dap.adapters.cudasim = { type = 'executable', command = vim.env.DAP_ADAPTER, args = { 'dap' } }

local function stop(number)
	await('stop ' .. number, function() return shown == number end)
	await('frame ' .. number, function() return dap.session() and dap.session().current_frame end)
	return dap.session()
end

local function request(session, command, arguments)
	local answer
	session:request(command, arguments, function(err, body) answer = body or { error = err } end)
	await(command, function() return answer end)
	return answer
end

local function frame(session, name)
	local f = session.current_frame
	say(name, f.name:match('^[^(]*') .. ' ' .. f.line)
end

vim.cmd('edit ' .. folder .. '/sums.cu')
vim.fn.search('if (i < n)')
dap.set_breakpoint()
dap.run({ type = 'cudasim', request = 'launch', name = 'sums', program = folder .. '/sums', cwd = folder })
local session = stop(1)
frame(session, 'breakpoint')
local thread = session.stopped_thread_id
local stack = request(session, 'stackTrace', { threadId = thread })
shown = 1
local names = {}
for _, f in ipairs(stack.stackFrames) do table.insert(names, (f.name:match('^[^(]*'))) end
say('stack', table.concat(names, ', '))
local id = session.current_frame.id
local scopes = request(session, 'scopes', { frameId = id }).scopes
local variables = request(session, 'variables', { variablesReference = scopes[1].variablesReference }).variables
for _, v in ipairs(variables) do
	if v.name == 'i' or v.name == 'total' then say(v.name, v.value) end
end
local function evaluate(expression)
	return request(session, 'evaluate', { expression = expression, context = 'watch',
		frameId = session.current_frame.id }).result
end
say('evaluate', evaluate('tile[4] * 10'))
dap.step_over()
frame(stop(2), 'next')
dap.step_into()
frame(stop(3), 'step in')
local info = request(session, 'dataBreakpointInfo', { name = 'calls' })
local set = request(session, 'setDataBreakpoints',
	{ breakpoints = { { dataId = info.dataId, accessType = 'write' } } })
say('data breakpoint', set.breakpoints[1].verified and 't')
dap.continue()
stop(4)
say('written', evaluate('calls'))
request(session, 'setDataBreakpoints', { breakpoints = {} })
dap.continue()
await('the end', function() return dap.session() == nil end)
say('output', printed:match('last is (%d+)'))
finish()

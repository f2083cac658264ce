// SPDX-License-Identifier: Apache-2.0
// The adapter is `cudasim dap`; this starts it, and adds what VS Code has no view for: the focus
// on one of a kernel's threads, and the processes that wait for a debugger.
'use strict';

const fs = require('fs');
const vscode = require('vscode');

const TYPE = 'cudasim';

// Processes that were started with CUDASIM_DEBUG=wait: each has a socket with its number.
// text: of /proc/net/unix. Returns their numbers, ascending, each once.
function waitingProcesses(text) {
	const found = new Set();
	for (const match of text.matchAll(/@cudasim-debug\.(\d+)$/gm))
		found.add(Number(match[1]));
	return [...found].sort((a, b) => a - b);
}

function commandLine(pid) {
	try {
		return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
	} catch {
		return '';
	}
}

async function pickProcess() {
	const pids = waitingProcesses(fs.readFileSync('/proc/net/unix', 'utf8'));
	if (!pids.length) {
		vscode.window.showErrorMessage(
			'No process waits for a debugger: start one with CUDASIM_DEBUG=wait.');
		return undefined;
	}
	const items = pids.map(pid => ({ label: String(pid), description: commandLine(pid) }));
	const choice = await vscode.window.showQuickPick(items, {
		placeHolder: 'A process that waits for a debugger',
		matchOnDescription: true,
	});
	return choice && choice.label;
}

async function focus() {
	const session = vscode.debug.activeDebugSession;
	if (!session || session.type !== TYPE)
		return;
	const now = await session.customRequest('cudasim/focus', {});
	const coordinates = await vscode.window.showInputBox({
		prompt: now.description || 'No CUDA thread is focused',
		placeHolder: 'block (1,0,0) thread (5,0,0)',
	});
	if (!coordinates)
		return;
	try {
		await session.customRequest('cudasim/focus', { coordinates });
	} catch (error) {
		vscode.window.showErrorMessage(String(error.message));
	}
}

const factory = {
	createDebugAdapterDescriptor(session) {
		const path = vscode.workspace.getConfiguration('cudasim', session.workspaceFolder)
			.get('path') || 'cudasim';
		return new vscode.DebugAdapterExecutable(path, ['dap']);
	},
};

const configurations = {
	// Without a launch.json.
	provideDebugConfigurations(folder) {
		return [{
			type: TYPE,
			request: 'launch',
			name: 'CUDA: launch',
			program: '${workspaceFolder}/app',
			cwd: '${workspaceFolder}',
		}];
	},
	resolveDebugConfiguration(folder, configuration) {
		if (!configuration.type && !configuration.request) {
			vscode.window.showErrorMessage(
				'Add a configuration for cudasim with the path of your program.');
			return null; // opens launch.json
		}
		if (configuration.request === 'launch' && !configuration.cwd && folder)
			configuration.cwd = folder.uri.fsPath;
		return configuration;
	},
};

function activate(context) {
	context.subscriptions.push(
		vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, factory),
		vscode.debug.registerDebugConfigurationProvider(TYPE, configurations),
		vscode.commands.registerCommand('cudasim.focus', focus),
		vscode.commands.registerCommand('cudasim.pickProcess', pickProcess));
}

module.exports = { activate, deactivate() {}, waitingProcesses };

// Checks code blocks with their language's syntax checker, if installed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { parseAllDocuments } from 'yaml';

const PYTHON = process.env['GATEHOUSE_PYTHON'] ?? 'python3';

/** File name, plus a command that parses without execution. */
const TOOLS: Record<string, { file: string; command: string[]; whole?: (code: string) => string }> = {
  javascript: { file: 'code.mjs', command: [process.execPath, '--check'] },
  python: {
    file: 'code.py',
    command: [PYTHON, '-c', 'import ast, sys; ast.parse(open(sys.argv[1]).read())'],
  },
  shell: { file: 'code.sh', command: ['bash', '-n'] },
  go: {
    file: 'code.go',
    command: ['gofmt', '-e', '-l'],
    whole: (code) => (/^package /m.test(code) ? code : `package main\n\nfunc main() {\n${code}}\n`),
  },
  php: { file: 'code.php', command: ['php', '-l'] },
  swift: { file: 'code.swift', command: ['swiftc', '-parse'] },
  // javac stops after parsing, because the imported libraries are missing
  java: { file: 'Code.java', command: ['javac', '-XDshould-stop.ifNoError=PARSE', '-proc:none'] },
};

export type Language =
  | 'javascript'
  | 'tsx'
  | 'python'
  | 'shell'
  | 'go'
  | 'java'
  | 'json'
  | 'yaml'
  | 'swift'
  | 'php';

function jsonFault(code: string): string | null {
  try {
    JSON.parse(code);
    return null;
  } catch (error) {
    return String(error);
  }
}

/** Returns the syntax error, or null; 'no tool' if this machine cannot check the language. */
export function syntaxFault(language: Language, code: string): string | 'no tool' | null {
  if (language === 'json') return jsonFault(code);
  if (language === 'yaml') return parseAllDocuments(code).flatMap(({ errors }) => errors)[0]?.message ?? null;
  if (language === 'tsx') return parseSync('code.tsx', code).errors[0]?.message ?? null;
  const tool = TOOLS[language];
  if (!tool) throw new Error(`no way to check ${language}`);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-code-'));
  try {
    const file = path.join(folder, tool.file);
    writeFileSync(file, tool.whole?.(code) ?? code);
    const [program = '', ...more] = tool.command;
    const { status, stderr, error } = spawnSync(program, [...more, file], { encoding: 'utf8' });
    if (error) return 'no tool';
    return status === 0 ? null : stderr.replaceAll(folder, '');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

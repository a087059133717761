// Every operation of management, for tests that check all of them.
import path from 'node:path';
import type { Terms } from '#lib/management/operations.ts';
import { sourcesOf } from './sources.ts';

const root = path.resolve(import.meta.dirname, '../..');
const DEFINED = /\boperation\(\s*(?:\/\/.*\s*)*\{\s*name: '(\w+)'/g;

/** Returns the terms of all operations by name. Throws for an operation whose module does not export it. */
async function allOperations(): Promise<Readonly<Record<string, Required<Terms>>>> {
  const operations: Record<string, Required<Terms>> = {};
  for (const { file, text } of sourcesOf('management')) {
    const module: Record<string, unknown> = await import(/* @vite-ignore */ path.join(root, file));
    for (const [exported, value] of Object.entries(module)) {
      if (typeof value !== 'function' || !('terms' in value)) continue;
      const terms = value.terms as Required<Terms>;
      if (terms.name !== exported) throw new Error(`${file} exports ${terms.name} as ${exported}`);
      if (Object.hasOwn(operations, exported)) throw new Error(`two operations are named ${exported}`);
      operations[exported] = terms;
    }
    for (const [, name = ''] of text.matchAll(DEFINED)) {
      if (!Object.hasOwn(operations, name)) throw new Error(`${file} does not export ${name}`);
    }
  }
  return operations;
}

export const OPERATIONS = await allOperations();
export const OPERATION_NAMES: readonly string[] = Object.keys(OPERATIONS);

// Runnable tree of this checkout, using the tests' build: created once for all delivery tests.
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { until } from '#testing/net/until.ts';
import { writeTree } from '../../../delivery/tree.ts';

/** Returns the shared folder, which tests must not modify. */
export async function builtTree(): Promise<string> {
  const home = path.join(process.env['E2E_LOG_DIR'] ?? '', 'delivery');
  const [tree, making] = [path.join(home, 'tree'), path.join(home, 'making')];
  mkdirSync(home, { recursive: true });
  if (existsSync(tree)) return tree;
  try {
    mkdirSync(making);
  } catch {
    // waits, because another test worker is creating the tree
    if (await until(async () => existsSync(tree), { seconds: 120 })) return tree;
    throw new Error('the other worker has made no tree');
  }
  await writeTree(making);
  renameSync(making, tree);
  return tree;
}

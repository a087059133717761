// The files of Next that a custom server loads. Next's own traces cover only its built-in server, so the tracer that
// Next includes traces this server.
import { createRequire } from 'node:module';
import path from 'node:path';

type Tracer = {
  nodeFileTrace(
    files: string[],
    options: {
      base: string;
      ignore: (file: string) => boolean;
      mixedModules: boolean;
      analysis: { emitGlobs: boolean; computeFileReferences: boolean };
    },
  ): Promise<{ fileList: Set<string> }>;
};

/** Files that only builds or `next dev` load. */
const NOT_SERVED = new RegExp(
  [
    'next/dist/compiled/(?:webpack|babel|terser|@babel|turbopack|@vercel/nft|postcss|cssnano|browserslist|mini-css)',
    'next/dist/compiled/(?:sass-loader|edge-runtime|@edge-runtime|esbuild|react-|next-server/|next-devtools)',
    'next/dist/compiled/(?:crypto-browserify|amphtml|schema-utils|@modelcontextprotocol|@next/font)',
    'next/dist/build/(?:webpack|swc/|babel|turbopack|create-compiler|analysis|templates|entries)',
    'next/dist/(?:docs|cli/(?!next-test)|lib/upgrade|server/(?:dev|mcp|lib/router-utils/setup-dev))',
    'node_modules/(?:typescript|@next|sharp|@img|caniuse-lite|browserslist|postcss)/',
    String.raw`\.development\.js$`,
  ].join('|'),
);

/** Returns the files that Next's server needs at runtime, relative to `root`. */
export async function filesOfNextServer(root: string): Promise<string[]> {
  const require = createRequire(path.join(root, 'package.json'));
  const { nodeFileTrace } = require('next/dist/compiled/@vercel/nft') as Tracer;
  const { fileList } = await nodeFileTrace([require.resolve('next/dist/server/next.js')], {
    base: root,
    ignore: (file) => NOT_SERVED.test(file),
    mixedModules: true,
    analysis: { emitGlobs: false, computeFileReferences: false },
  });
  return [...fileList].sort();
}

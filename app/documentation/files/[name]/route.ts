// GET /documentation/files/NAME: files of the repository that guides link to.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { besideIssuers } from '#app/_doors/plain.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { FILES } from '../../_guides/addresses.ts';

export const dynamic = 'force-dynamic';

const TYPES: Readonly<Record<string, string>> = { '.json': 'application/json', '.svg': 'image/svg+xml' };

type Context = { params: Promise<{ name: string }> };

export async function GET(request: Request, context: Context): Promise<Response> {
  // the name is only a key, never a part of a file path
  const { name } = await context.params;
  return besideIssuers(() => fileAnswer(name))(request);
}

function fileAnswer(name: string): Response {
  const file = ownValue(FILES, name);
  if (file === undefined) return new Response(null, { status: 404 });
  return new Response(readFileSync(path.resolve(file)), {
    headers: {
      'content-type': ownValue(TYPES, path.extname(name)) ?? 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
    },
  });
}

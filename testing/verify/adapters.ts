// Runs each README example of the verify packages as a program that protects one API, and sends requests to
// all of them through the same function.
import { send } from '../net/http.ts';
import { handlerOf, startExample, type Told } from './installed.ts';
import { hasGo, hasPhp, hasPython } from './programs.ts';

export type Answered = { status: number; challenge: string | null; text: string };
type Ask = (authorization: string[], dpop?: string[]) => Promise<Answered>;
/** `at`: its address for clients. */
export type Adapter = {
  name: string;
  ask: Ask;
  at: string;
  url?: string;
  log?: string;
  stop?: () => Promise<void>;
};

export const HAS_PYTHON = hasPython('jwt, cryptography, fastapi, uvicorn, flask, django');
const EXAMPLES: Record<string, boolean> = {
  'express.mjs': true,
  'fastify.mjs': true,
  'hono.mjs': true,
  'http.mjs': true,
  'fastapi_api.py': HAS_PYTHON,
  'starlette_api.py': HAS_PYTHON,
  'flask_api.py': HAS_PYTHON,
  'django_api.py': HAS_PYTHON,
  'main.go': hasGo(),
  'orders.php': hasPhp(),
};
const PROGRAMS = Object.keys(EXAMPLES).filter((name) => EXAMPLES[name]);
/** Names of examples that this machine cannot run. */
export const LACKING = Object.keys(EXAMPLES).filter((name) => !EXAMPLES[name]);
const HANDLERS = ['route.js', 'worker.mjs'];

export async function startAdapters(folder: string, told: Told, names = PROGRAMS): Promise<Adapter[]> {
  const programs = names.map(async (name): Promise<Adapter> => {
    const { url, stop, log } = await startExample(folder, name, told);
    const ask: Ask = async (authorization, dpop = []) => {
      const { status, headers, text } = await send(url, { headers: { authorization, dpop } });
      // FastAPI error bodies contain the status name
      const said = status < 400 ? JSON.stringify(JSON.parse(text)) : text.replace(/^\{"detail":"\w+"\}$/, '');
      return { status, challenge: headers['www-authenticate'] ?? null, text: said };
    };
    return { name, ask, at: url, url, log, stop };
  });
  const handlers = HANDLERS.map(async (name): Promise<Adapter> => {
    const handler = await handlerOf(folder, name, told);
    const at = 'http://localhost/orders';
    const ask: Ask = async (authorization, dpop = []) => {
      const headers = new Headers();
      for (const value of authorization) headers.append('authorization', value);
      for (const value of dpop) headers.append('dpop', value);
      const answer = await handler(new Request(at, { headers }));
      return {
        status: answer.status,
        challenge: answer.headers.get('www-authenticate'),
        text: await answer.text(),
      };
    };
    return { name, ask, at };
  });
  return Promise.all([...programs, ...handlers]);
}

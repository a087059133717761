// Is this an answer that its endpoint documents? Says which part is not, or null.
import type { z } from 'zod';
import { type Answer, compileEndpoints } from '../../lib/http/index.ts';
import type { Declaration } from '../../lib/oauth/declaration.ts';
import { endpoints } from '../../lib/oauth/endpoints.ts';
import type { Invented } from './requests.ts';

const match = compileEndpoints(endpoints);

export function undocumented({ method, path }: Invented, answer: Answer | null): string | null {
  const found = match(path);
  const declares = endpoints.find(({ pattern }) => pattern === found?.endpoint.pattern)?.declares;
  // a page of Next, or a form of our own pages
  if (answer === null || !declares) return null;
  const asked = Object.entries(declares).find(([name]) => name === (method === 'HEAD' ? 'GET' : method));
  // a method that the address does not take is refused as each of its methods documents
  const declared = asked ? [asked[1]] : Object.values(declares);
  const body = Buffer.from(answer.body ?? '').toString('utf8');
  const where = `${method} ${found?.endpoint.pattern}: ${answer.status}`;
  if (answer.status === 302) return undocumentedRedirect(declared, answer, where);
  if (answer.status >= 400) return undocumentedError(declared, answer, body, where);
  if (answer.status !== 200 || body === '') return null;
  const schemas = declared.flatMap(({ answers }) => Object.values(answers));
  const known = schemas.some((schema: z.ZodType) => schema.safeParse(JSON.parse(body)).success);
  return known ? null : `${where} with another body: ${body.slice(0, 200)}`;
}

const errorsOf = (declared: Declaration[]) => declared.flatMap(({ errors }) => errors);

function undocumentedRedirect(declared: Declaration[], { headers }: Answer, where: string): string | null {
  const code = new URL(String(headers['location'])).searchParams.get('error');
  if (code === null) return null;
  const known = errorsOf(declared).some(({ as, error }) => as === 'redirect' && error === code);
  return known ? null : `${where} ${code}`;
}

function undocumentedError(
  declared: Declaration[],
  { status, headers }: Answer,
  body: string,
  where: string,
): string | null {
  const ofStatus = errorsOf(declared).filter((error) => error.status === status);
  const isJson = String(headers['content-type'] ?? '').startsWith('application/json');
  // pages and empty bodies carry no code
  if (!isJson || body === '') return ofStatus.length > 0 ? null : where;
  const value = JSON.parse(body) as { error?: string; detail?: unknown; checks?: unknown };
  // not an error: readiness answers with its checks
  if (value.checks !== undefined) return null;
  const code = status === 422 ? 'HTTPValidationError' : value.error;
  return ofStatus.some(({ error }) => error === code) ? null : `${where} ${code}`;
}

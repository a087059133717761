// Checks a response against its endpoint's documentation. Returns the wrong part, or `null`.
import type { z } from 'zod';
import { compileEndpoints } from '#lib/http/endpoint.ts';
import type { Answer } from '#lib/http/message.ts';
import { declarations, endpoints } from '#lib/oauth/endpoints.ts';
import type { Declaration } from '#lib/oauth/errors.ts';
import type { Invented } from './requests.ts';

const match = compileEndpoints(endpoints);

export function findUndocumented({ method, path }: Invented, answer: Answer | null): string | null {
  const pattern = match(path)?.endpoint.pattern;
  const asked = declarations[`${method === 'HEAD' ? 'GET' : method} ${pattern}`];
  // unsupported method: the documented errors of every other method apply
  const all = Object.entries(declarations).filter(([name]) => name.split(' ')[1] === pattern);
  const declared = asked ? [asked] : all.map(([, one]) => one);
  // null: Next renders this page or form, so nothing is checked
  if (answer === null || declared.length === 0) return null;
  const body = Buffer.from(answer.body ?? '').toString('utf8');
  const where = `${method} ${pattern}: ${answer.status}`;
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
  // pages and empty bodies contain no error code
  if (!isJson || body === '') return ofStatus.length > 0 ? null : where;
  const value = JSON.parse(body) as { error?: string; detail?: unknown; checks?: unknown };
  // a readiness response has status 503 and contains its checks, but no error code
  if (value.checks !== undefined) return null;
  const code = status === 422 ? 'HTTPValidationError' : value.error;
  return ofStatus.some(({ error }) => error === code) ? null : `${where} ${code}`;
}

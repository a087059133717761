// Parts of a request that two parsers could read, and the Gatehouse parser that decides. lib/one-reader.test.ts
// checks the code against this table, and e2e/protocol/http/one-reader.spec.ts sends the hostile spelling of each
// part to both servers.

export type Reader = {
  /** names of the request headers, in lower case */
  headers?: readonly string[];
  /** the files that may parse this part; no other file may */
  decides: readonly string[];
  /** true: other files pass the value on unchanged */
  carried?: true;
  /** the consequence if two parsers read the part differently */
  risk: string;
};

export const READERS = {
  cookies: {
    headers: ['cookie'],
    decides: ['lib/http/cookies.ts', 'lib/http/malformed.ts'],
    carried: true,
    risk: 'a cookie of another site counts as ours',
  },
  'the host that is called': {
    headers: ['host', 'x-forwarded-host'],
    decides: ['lib/http/forwarding.ts', 'lib/http/peer-context.ts', 'lib/oauth/forward-auth.ts'],
    risk: 'an address of an issuer is answered for another one',
  },
  'the caller’s address': {
    headers: ['x-forwarded-for'],
    decides: ['lib/http/forwarding.ts', 'lib/http/peer-context.ts'],
    risk: 'a caller chooses the address that limits count by',
  },
  'the length of a body': {
    decides: ['lib/http/node-door.ts', 'app/_doors/plain.ts'],
    risk: 'a second request is smuggled in a body',
  },
  'the media type': {
    headers: ['content-type'],
    decides: [
      'lib/http/params.ts',
      'lib/management-api/management-api.ts',
      'lib/oauth/broker.ts',
      'lib/oauth/openid.ts',
      'lib/oauth/registration.ts',
      'app/(console)/_kit/posted.ts',
    ],
    risk: 'a body is read as something else than what was checked',
  },
  credentials: {
    headers: ['authorization'],
    decides: [
      'lib/oauth/client.ts',
      'lib/oauth/forward-auth.ts',
      'lib/oauth/introspection.ts',
      'lib/oauth/userinfo.ts',
      'lib/oauth/former.ts',
      'lib/oauth/registration.ts',
      'lib/management-api/management-api.ts',
      'app/_doors/plain.ts',
    ],
    risk: 'a proxy has checked one token, and another one acts',
  },
  'what a gateway says of the request': {
    headers: [
      'x-forwarded-proto',
      'x-forwarded-uri',
      'x-forwarded-method',
      'x-original-method',
      'x-original-url',
    ],
    decides: ['lib/oauth/forward-auth.ts'],
    risk: 'a caller chooses the request that its proof counts for',
  },
  'a proof of a key': {
    headers: ['dpop'],
    decides: [
      'lib/oauth/client.ts',
      'lib/oauth/forward-auth.ts',
      'lib/oauth/userinfo.ts',
      'lib/management-api/management-api.ts',
    ],
    risk: 'a proxy has checked one proof, and another one counts',
  },
  'the origin of a form': {
    headers: ['origin', 'sec-fetch-site'],
    decides: [
      'lib/http/navigation.ts',
      'lib/http/endpoint.ts',
      'lib/oauth/forward-auth.ts',
      'app/(console)/_kit/page-start.tsx',
    ],
    risk: 'a form of another site counts as ours',
  },
  'what a browser does with the answer': {
    headers: ['sec-fetch-dest', 'sec-purpose', 'purpose', 'x-purpose', 'x-moz', 'next-router-prefetch'],
    decides: ['lib/http/navigation.ts'],
    risk: 'a page is shown in a frame, or a prefetch acts',
  },
  'a preflight': {
    headers: ['access-control-request-headers'],
    decides: ['lib/http/endpoint.ts'],
    risk: 'a script of another site sends what it may not',
  },
  'the kind of answer': {
    headers: ['accept'],
    decides: ['lib/oauth/refusals.ts', 'app/(console)/_kit/dispatch.ts', 'lib/http/malformed.ts'],
    risk: 'none: it chooses between a page and JSON',
  },
  'the language': {
    headers: ['accept-language'],
    decides: ['lib/language/negotiate.ts'],
    carried: true,
    risk: 'none: it chooses words',
  },
  versions: {
    headers: ['if-match', 'if-none-match'],
    decides: ['lib/management-api/management-api.ts', 'lib/oauth/site-files.ts', 'app/_html/html-page.ts'],
    risk: 'a change that somebody else has made is overwritten',
  },
  'what is noted as it came': {
    headers: ['user-agent', 'traceparent', 'x-request-id'],
    decides: ['lib/observability/metrics.ts'],
    carried: true,
    risk: 'none: it is text in the log',
  },
  'the path': {
    decides: [
      'lib/http/endpoint.ts',
      'lib/oauth/endpoints.ts',
      'app/_doors/refusals.ts',
      'app/_components/page-input.ts',
      'app/_proxy.ts',
    ],
    risk: 'a proxy has let through another address than the one that answers',
  },
  'parameters of a query or a form': {
    decides: [
      'lib/http/params.ts',
      'lib/management-api/management-api.ts',
      'lib/oauth/client-logo.ts',
      'lib/oauth/forward-auth.ts',
      'lib/oauth/pages/frame.ts',
      'lib/oauth/issuer.ts',
      'lib/oauth/openid.ts',
      'app/(console)/_kit/posted.ts',
      'app/(console)/_subjects/preview-answer.ts',
      'app/(console)/admin/audit/file/route.ts',
      'app/(console)/developer/check/route.ts',
      'app/_html/html-page.ts',
      'app/_doors/refusals.ts',
    ],
    risk: 'what was checked is not what acts',
  },
  'the parts of a file’s form': {
    decides: ['app/(console)/_kit/posted.ts'],
    risk: 'parts are taken apart that were not counted',
  },
} satisfies Record<string, Reader>;

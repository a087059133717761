// The guides of the documentation page: what a developer needs to know once. Backticks mark code.

export type Guide = { id: string; title: string; paragraphs: string[] };

export function guidesFor(baseUrl: string, authUrl: string): Guide[] {
  return [
    {
      id: 'first-token',
      title: 'Your first token',
      paragraphs: [
        `Every combination of an authentication method and an API is an issuer of its own: ${authUrl}/auth/AUTH_METHOD_ID/api/API_ID. The valid combinations are on the API's page, under ${baseUrl}/apis. Give that one address to a standard OAuth client and it finds the rest by itself.`,
        'Your client needs a subscription to the API. A plain one is approved at once unless the API asks for approval; a trusted one always waits for an administrator or an approver.',
        'Words in capitals in the commands are for you to replace. Everything else can be pasted as it is.',
      ],
    },
    {
      id: 'client-kinds',
      title: 'Which kind of client is yours?',
      paragraphs: [
        'Confidential: it runs on a server and keeps a secret. It sends client_secret at the token endpoint, or an assertion that it signs with a key of its own (private_key_jwt), and gets refresh tokens. PKCE is recommended.',
        'Native: it runs on a phone or a desktop. No secret; PKCE is required; it gets refresh tokens. Use a private-use scheme or a loopback IP address as redirect_uri.',
        'Browser: a single-page application. No secret; PKCE is required; its code grant gives no refresh token. It renews by a silent authorize request.',
      ],
    },
    {
      id: 'pkce',
      title: 'PKCE in one minute',
      paragraphs: [
        'Make a code_verifier: 43 to 128 random characters out of letters, digits, `.`, `-`, `_` and `~`. Keep it. Send code_challenge = BASE64URL(SHA256(code_verifier)) with code_challenge_method=S256 to the authorize endpoint, and the code_verifier to the token endpoint.',
        'In a shell: `VERIFIER=$(openssl rand -hex 32); CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 | tr "+/" "-_" | tr -d "=")`. The commands on this page use the example pair of RFC 7636 appendix B; never use it for real.',
      ],
    },
    {
      id: 'refresh',
      title: 'Renewing',
      paragraphs: [
        'With a refresh token: every refresh answers with a new one, and the old one is dead from then on. Store the new one before you use the access token. Do not refresh in parallel: of several uses exactly one succeeds.',
        'A refresh token that is used a second time looks like theft: its whole family is revoked and the person signs in again. Within 10 seconds, while the successor is unused, it is taken for a race and only refused.',
        'Without one (browser clients): open the authorize endpoint in a hidden iframe with prompt=none and a fresh code_challenge. It returns at once with a code or an error. On login_required or consent_required, send the person through the authorize endpoint without prompt.',
        'Where a browser blocks third-party cookies, the silent renewal works for clients on the same site as this service and answers login_required elsewhere.',
      ],
    },
    {
      id: 'call-the-api',
      title: 'Calling the API',
      paragraphs: [
        'Send `Authorization: Bearer ACCESS_TOKEN` to the API. On 401, renew once and try again; then ask the person to sign in.',
        "An API that gets JWTs checks, with any JWT library: `typ` is at+jwt, the algorithm is the API's own one, the signature fits the key with that `kid`, `iss` is one of its issuers, `aud` is its url, `exp` is in the future. Then it looks at `scope` and `sub`.",
        'An API that gets opaque tokens, or needs to know about a revocation at once, asks the introspection endpoint.',
      ],
    },
    {
      id: 'errors',
      title: 'When something fails',
      paragraphs: [
        'A JSON error has `error` (a stable word, for your program), `error_description` (for you) and `request_id`, which is also the X-Request-Id header and stands in the log and the audit log. Quote it when you ask for help.',
        'invalid_grant: the code or refresh token is finished; start again at the authorize endpoint. invalid_client: look at the secret or the assertion and how it is sent. unauthorized_client: look at the subscription. temporarily_unavailable and slow_down: keep your tokens and try again later.',
        'The broker callback answers invalid parameters with 422 and a list under `detail`; each entry has `loc`, `msg` and `type`.',
      ],
    },
  ];
}

// What a snippet is filled with.
export type Facts = {
  issuer: string;
  token: string;
  clientId: string;
  redirectUri: string;
  /** a registered address after sign-out; null: none */
  signedOutUri: string | null;
  /** its ID tokens contain the claims of the granted scopes */
  claimsInIdToken: boolean;
  scope: string;
  apiUrl: string;
  confidential: boolean;
  /** `token_endpoint_auth_method`; null: a secret either way, or none */
  by: string | null;
  refreshes: boolean;
  /** the client, or the API, asks for pushed requests (RFC 9126) */
  pushes: boolean;
  /** the client, or the API, asks for tokens that are bound to a key (RFC 9449) */
  bound: boolean;
};
/** `framework`: what a developer picks it by. `install`: a shell command. `unrun`: no test runs it, some only read it. */
/** `for`: another purpose than a sign-in with an API call, which the page names in its reader's language. */
export type Snippet = {
  label: string;
  for?: 'signed-in-user' | 'application-token';
  framework: string;
  code: string;
  install?: string;
  unrun?: true;
};

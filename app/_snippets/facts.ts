// What a snippet is filled with.
export type Facts = {
  issuer: string;
  authorize: string;
  token: string;
  jwks: string;
  clientId: string;
  redirectUri: string;
  scope: string;
  apiUrl: string;
  confidential: boolean;
  /** `token_endpoint_auth_method`; null: a secret either way, or none */
  by: string | null;
  refreshes: boolean;
};
export type Snippet = { label: string; code: string };

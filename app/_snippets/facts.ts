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
  refreshes: boolean;
};
export type Snippet = { label: string; code: string };

/** Forms in which users paste a credential, for example with a prefix or inside a header. */
export const PASTED: Record<string, (token: string) => string> = {
  alone: (token) => token,
  'in spaces': (token) => `  ${token}  `,
  'after Bearer': (token) => `Bearer ${token}`,
  'after DPoP': (token) => `DPoP ${token}`,
  'in a header': (token) => `Authorization: Bearer ${token}`,
  'in a header of a command': (token) => `curl -H 'authorization: DPoP ${token}' https://api.example/orders`,
  'in JSON': (token) => `{"token_type":"Bearer","access_token":"${token}"}`,
  'in a form': (token) => `grant_type=refresh_token&refresh_token=${token}&client_id=shop`,
  'in an address': (token) => `https://app.example/cb?code=${token}&state=1`,
  'in a sentence': (token) => `my token ${token} does not work`,
};

// Client ID Metadata Documents of real vendors, published in autumn 2026, and a valid document that tests modify.

export type DocumentMembers = Record<string, unknown>;

export const DOCUMENT_URL = 'https://agent.example/oauth/client.json';

/** Returns a valid document with these members; undefined omits a member. */
export const documentOf = (members: DocumentMembers = {}, clientId = DOCUMENT_URL): DocumentMembers => ({
  client_id: clientId,
  client_name: 'Agent',
  redirect_uris: ['https://agent.example/callback'],
  token_endpoint_auth_method: 'none',
  ...members,
});

export const CHATGPT: DocumentMembers = {
  client_id: 'https://chatgpt.com/oauth/client.json',
  client_uri: 'https://chatgpt.com/',
  redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
  token_endpoint_auth_method: 'private_key_jwt',
  token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  client_name: 'ChatGPT',
  token_endpoint_auth_signing_alg: 'RS256',
  jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
};

export const CLAUDE_CODE: DocumentMembers = {
  client_id: 'https://claude.ai/oauth/claude-code-client-metadata',
  client_name: 'Claude Code',
  client_uri: 'https://claude.ai',
  redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

export const CLAUDE: DocumentMembers = {
  client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
  client_name: 'Claude',
  client_uri: 'https://claude.ai',
  redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
  grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

export const VS_CODE: DocumentMembers = {
  client_name: 'Visual Studio Code',
  logo_uri: 'https://code.visualstudio.com/assets/branding/code-stable.png',
  grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  application_type: 'native',
  client_id: 'https://vscode.dev/oauth/client-metadata.json',
  client_uri: 'https://vscode.dev/product',
  redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
};

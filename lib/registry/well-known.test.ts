import { expect, test } from 'vitest';
import { issuerMetadataAddresses, resourceMetadataAddress } from './well-known.ts';

test('RFC 9728 §3.1: the well-known segment of a metadata address is inserted after the host, without a trailing slash, before the query', () => {
  const at = 'https://mcp.example/.well-known/oauth-protected-resource';
  expect(resourceMetadataAddress('https://mcp.example')).toBe(at);
  expect(resourceMetadataAddress('https://mcp.example/')).toBe(at);
  expect(resourceMetadataAddress('https://mcp.example/mcp')).toBe(`${at}/mcp`);
  expect(resourceMetadataAddress('https://mcp.example:8443/a/b/?c=d')).toBe(
    'https://mcp.example:8443/.well-known/oauth-protected-resource/a/b?c=d',
  );
});

test('MCP, authorization server metadata discovery: an issuer with a path has three addresses, and one without a path two', () => {
  expect(issuerMetadataAddresses('https://auth.example/auth/local/api/orders')).toEqual([
    'https://auth.example/.well-known/oauth-authorization-server/auth/local/api/orders',
    'https://auth.example/.well-known/openid-configuration/auth/local/api/orders',
    'https://auth.example/auth/local/api/orders/.well-known/openid-configuration',
  ]);
  for (const issuer of ['https://auth.example', 'https://auth.example/'])
    expect(issuerMetadataAddresses(issuer)).toEqual([
      'https://auth.example/.well-known/oauth-authorization-server',
      'https://auth.example/.well-known/openid-configuration',
    ]);
});

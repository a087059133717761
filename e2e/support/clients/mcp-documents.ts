// A host of client documents on this machine, with https and an authority that both servers trust (global-setup.ts).
import type { DocumentMembers } from '#testing/clients/client-documents.ts';
import { type DocumentHost, startDocumentHost } from '#testing/clients/document-host.ts';

const given = process.env['E2E_DOCUMENT_CERTIFICATE'] ?? '';

/** True if a certificate exists. openssl creates it. */
export const hasDocumentHost = given !== '';

export const startAgentHost = (): Promise<DocumentHost> => startDocumentHost(JSON.parse(given), 'localhost');

/** The client metadata document of a native application. */
export const ON_A_MACHINE: DocumentMembers = {
  client_name: 'Memo agent',
  application_type: 'native',
  redirect_uris: ['http://localhost/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
};

export { authenticateClient, failed, provesSecret, requireCredentials } from './client-authentication.ts';

import type { Metadata } from 'next';
import { type ApiPageProps, askAboutApi } from '#app/(console)/_registry/visit-api.tsx';

export const metadata: Metadata = { title: 'A new credential' };

export default function CredentialPage(props: ApiPageProps) {
  return askAboutApi(props, 'credential', 'api-secret');
}

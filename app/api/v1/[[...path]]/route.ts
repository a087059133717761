import { answerAtHost, doorTo } from '#app/_doors/plain.ts';
import { handleManagementApi } from '#lib/management-api/management-api.ts';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = doorTo(
  async (request) => (await answerAtHost(request)) ?? handleManagementApi(request),
);
export const dynamic = 'force-dynamic';

export { handleAtHost, handleHttp, refuseMethodOfPage, takesAllTokens } from './dispatch.ts';
export { endpoints } from './endpoints.ts';
export { introspected, recognise } from './introspection.ts';
export { listPublishedApis, type PublishedApi, readPublishedApi } from './published.ts';

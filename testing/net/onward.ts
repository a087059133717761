// A TLS proxy: an HTTPS server that forwards requests to an HTTP server, with the original Host header.
import http from 'node:http';

export function passOn(to: () => string): http.RequestListener {
  return (request, response) => {
    const { method, url, headers } = request;
    const onward = http.request(`${to()}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  };
}

// Cookies of one browser, single host.
export class CookieJar {
  readonly cookies = new Map<string, string>();

  get header(): string | undefined {
    if (this.cookies.size === 0) return undefined;
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  keep(setCookies: string[] | undefined): void {
    for (const line of setCookies ?? []) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const name = pair.slice(0, pair.indexOf('='));
      if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) this.cookies.delete(name);
      else this.cookies.set(name, pair.slice(name.length + 1));
    }
  }

  /** Returns the full name of the cookie whose name ends with this suffix; with https, names have a prefix. */
  named(suffix: string): string {
    const name = [...this.cookies.keys()].find((known) => known.endsWith(suffix));
    if (name === undefined) throw new Error(`no cookie ending in ${suffix}`);
    return name;
  }

  copy(): CookieJar {
    const jar = new CookieJar();
    for (const [name, value] of this.cookies) jar.cookies.set(name, value);
    return jar;
  }
}

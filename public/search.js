// Shows what the search of the documentation finds as one types: the page of results, fetched behind the form.
const form = document.querySelector('form[role="search"]');
const place = document.querySelector('.documentation-text');
const results = Object.assign(document.createElement('div'), {
  id: 'found',
  className: 'documentation-text',
});
results.setAttribute('aria-live', 'polite');
const PAUSE_MS = 150;
let pause;
let asked = new AbortController();

form.addEventListener('input', () => {
  clearTimeout(pause);
  asked.abort();
  pause = setTimeout(show, PAUSE_MS);
});

async function show() {
  const query = new FormData(form).get('q').trim();
  if (query === '') return results.replaceWith(place);
  asked = new AbortController();
  const { signal } = asked;
  try {
    const answer = await fetch(`${form.action}?${new URLSearchParams({ q: query })}`, { signal });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (signal.aborted) return;
    results.replaceChildren(...page.querySelector('#found').childNodes);
    place.replaceWith(results);
  } catch (error) {
    // the button still works
    if (error.name !== 'AbortError') console.warn(error);
  }
}

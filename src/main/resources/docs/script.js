// Makes the page quicker to use; without it everything can still be read.
'use strict';
const all = (what) => Array.from(document.querySelectorAll(what));

// commands go to the server that the page came from
for (const code of all('pre code')) {
  code.textContent = code.textContent.replaceAll('http://127.0.0.1:9277', location.origin);
}

for (const button of all('.copy')) {
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentNode.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
}

// a link to a call opens it
function show() {
  const call = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (call && call.tagName === 'DETAILS') {
    call.open = true;
    call.scrollIntoView();
  }
}
addEventListener('hashchange', show);
show();

const contents = document.querySelector('.contents details');
const wide = matchMedia('(min-width: 62rem)');
function fold() {
  if (contents) contents.open = wide.matches;
}
wide.addEventListener('change', fold);
fold();

const search = document.querySelector('.search');
if (search) {
  const input = search.querySelector('input');
  search.hidden = false;
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const call of all('.call')) {
      const text = (call.id + ' ' + call.querySelector('summary').textContent).toLowerCase();
      call.hidden = !words.every((word) => text.includes(word));
    }
    for (const section of all('section')) {
      const calls = Array.from(section.querySelectorAll('.call'));
      section.hidden = words.length > 0 && calls.every((call) => call.hidden);
    }
  });
  input.addEventListener('keydown', (event) => {
    const first = all('.call').find((call) => !call.hidden);
    if (event.key === 'Enter' && first) {
      first.open = true;
      first.querySelector('summary').focus();
      first.scrollIntoView();
    }
  });
  addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== input && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
    }
  });
}

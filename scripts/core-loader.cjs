// Loader of Next's build: pages import the compiled core, which the bundler leaves outside of its chunks.
module.exports = (source) => source.replaceAll(/(['"])#lib\//g, '$1gatehouse-lib/');

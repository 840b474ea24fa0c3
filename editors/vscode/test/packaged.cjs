// node test/packaged.cjs FOLDER: whether an unpacked extension has all that it loads, but for VS Code.

const Module = require("node:module");
const { join, resolve } = require("node:path");

const anything = new Proxy(class {}, { get: (_, name) => (name === "prototype" ? {} : class {}) });
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? anything : load(name, ...rest));

const extension = require(join(resolve(process.argv[2]), "out/src/extension.js"));
if (typeof extension.activate !== "function" || typeof extension.deactivate !== "function") {
  throw new Error("this is no extension of VS Code");
}
console.log("the packaged extension loads");

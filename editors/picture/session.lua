-- What the picture shows: the file, what is found, and the message at the cursor.

vim.opt.termguicolors = true
vim.opt.number, vim.opt.signcolumn, vim.opt.laststatus = true, "yes", 0
vim.opt.ruler, vim.opt.showcmd, vim.opt.shortmess = false, false, "aoOtTIcF"
vim.cmd("syntax on")

local colours = {
  Normal = { fg = "#c9d1d9", bg = "#0d1117" },
  LineNr = { fg = "#484f58" },
  EndOfBuffer = { fg = "#0d1117" },
  SignColumn = { bg = "#0d1117" },
  NormalFloat = { fg = "#c9d1d9", bg = "#161b22" },
  FloatBorder = { fg = "#484f58", bg = "#161b22" },
  Comment = { fg = "#8b949e", italic = true },
  Statement = { fg = "#ff7b72" },
  Special = { fg = "#ff7b72" },
  Operator = { fg = "#ff7b72" },
  Type = { fg = "#79c0ff" },
  String = { fg = "#a5d6ff" },
  Number = { fg = "#79c0ff" },
  DiagnosticError = { fg = "#f85149" },
  DiagnosticWarn = { fg = "#d29922" },
  DiagnosticInfo = { fg = "#58a6ff" },
  DiagnosticUnderlineError = { underline = true, sp = "#f85149", fg = "#f85149" },
  DiagnosticUnderlineWarn = { underline = true, sp = "#d29922", fg = "#d29922" },
  DiagnosticUnderlineInfo = { underline = true, sp = "#58a6ff", fg = "#58a6ff" },
  LspInlayHint = { fg = "#6e7681", bg = "#161b22" },
}
for name, colour in pairs(colours) do
  vim.api.nvim_set_hl(0, name, colour)
end

vim.diagnostic.config({
  virtual_text = false,
  float = { border = "rounded", header = "", source = false, prefix = "", max_width = 76 },
})
require("pglint_locks").setup({
  cmd = vim.fn.json_decode(vim.env.COMMAND),
  init_options = { inlayHints = true },
})
vim.cmd("edit claim.sql")
vim.wait(20000, function()
  return #vim.diagnostic.get(0) > 0
end, 20)
if vim.lsp.inlay_hint then
  vim.lsp.inlay_hint.enable(true)
end
vim.fn.search("IN (")
vim.defer_fn(function() -- once the cursor rests
  local _, window = vim.diagnostic.open_float({ scope = "cursor", focus = false })
  vim.wo[window].linebreak = true
  local below = vim.fn.line("$") + 1 -- where it hides nothing
  vim.api.nvim_win_set_config(window, { relative = "editor", row = below, col = 4 })
end, 500)

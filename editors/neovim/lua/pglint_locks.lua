-- The language server of pglint-locks in Neovim, 0.7 and later:
--
--     require("pglint_locks").setup({ init_options = { inlayHints = true } })
--
-- What is given goes over what stands in `defaults`: `cmd`, `filetypes`, `root_markers`,
-- `init_options`, `capabilities` and whatever else Neovim's client takes.

local M = {}

M.defaults = {
  cmd = { "pglint-locks", "lsp" },
  filetypes = {
    "sql", "python", "go", "javascript", "javascriptreact", "typescript", "typescriptreact",
    "java", "kotlin", "scala", "ruby", "php", "cs", "rust", "elixir", "swift", "xml", "markdown",
    "rst", "sh",
  },
  root_markers = { ".pglint-locks.toml", "pglint-locks.toml", "pyproject.toml", ".git" },
}

-- The nearest folder above a file that holds one of the markers; else that of the file.
local function root_of(path, markers)
  local folder = vim.fn.fnamemodify(path, ":p:h")
  local at = folder
  while true do
    for _, marker in ipairs(markers) do
      if vim.loop.fs_stat(at .. "/" .. marker) then
        return at
      end
    end
    local above = vim.fn.fnamemodify(at, ":h")
    if above == at then
      return folder
    end
    at = above
  end
end

-- One client for each root, for Neovim before 0.11.
local clients = {}

local function attach(buffer, options)
  local path = vim.api.nvim_buf_get_name(buffer)
  if path == "" or vim.bo[buffer].buftype ~= "" then
    return
  end
  local root = root_of(path, options.root_markers)
  if not clients[root] or not vim.lsp.get_client_by_id(clients[root]) then
    local config = vim.tbl_extend("force", options, { name = "pglint_locks", root_dir = root })
    clients[root] = vim.lsp.start_client(config)
  end
  if clients[root] then
    vim.lsp.buf_attach_client(buffer, clients[root])
  end
end

-- What each locking clause of the buffer locks, in a window of its own.
function M.report()
  local params = { command = "pglint-locks.report", arguments = { vim.uri_from_bufnr(0) } }
  vim.lsp.buf_request(0, "workspace/executeCommand", params, function(failed, report)
    if failed or type(report) ~= "string" then
      vim.notify(failed and failed.message or "no report of this file", vim.log.levels.WARN)
      return
    end
    vim.cmd("new")
    vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(report, "\n"))
    vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = "nofile", "wipe", false
    vim.bo.modifiable = false
    vim.bo.filetype = "markdown"
  end)
end

function M.setup(given)
  local options = vim.tbl_deep_extend("force", M.defaults, given or {})
  if vim.lsp.config then
    vim.lsp.config("pglint_locks", options)
    vim.lsp.enable("pglint_locks")
  else
    vim.api.nvim_create_autocmd("FileType", {
      group = vim.api.nvim_create_augroup("pglint_locks", {}),
      pattern = options.filetypes,
      callback = function(event)
        attach(event.buf, options)
      end,
    })
  end
  vim.api.nvim_create_user_command("PglintLocksReport", M.report, {})
end

return M
